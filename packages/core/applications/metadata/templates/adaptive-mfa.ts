/** Templates that ask for a second factor when there is a reason to. */
import { type Draft, steps } from "./template.ts";

const requestBased: readonly Draft[] = [
  {
    name: "ACR-Based",
    title: "ACR-Based 2FA Template",
    summary: "Goes as far as the application asks: password, one-time code, or passkey.",
    preRequisites: ["The application sends acr_values with its authorization request."],
    parameters: {
      levels: "The values of acr that the application may ask for, from weak to strong; the weakest is the default",
    },
    steps: [steps.password, steps.totp, steps.passkey],
    script: `
var levels = ['urn:pickup:password', 'urn:pickup:code', 'urn:pickup:passkey'];

var onLoginRequest = function (context) {
  var wanted = selectAcrFrom(context, levels);
  var strength = Math.max(levels.indexOf(wanted), 0);
  context.selectedAcr = levels[strength];
  executeStep(1, {
    onSuccess: function (context) {
      if (strength > 0) {
        executeStep(strength + 1);
      }
    }
  });
};
`,
  },
  {
    name: "[Deprecated] Risk-Based",
    title: "Risk-Based 2FA Template [Deprecated]",
    summary:
      "Asks an analytics service for a score, and for a second factor when it is high. Kept for scripts that exist.",
    preRequisites: ["An analytics service that answers with a riskScore is connected."],
    parameters: {
      riskService: "The name of the service's application",
      scoreMost: "The score up to which a password is enough",
    },
    script: `
var riskService = 'SignInRisk';
var scoreMost = 0;
${secondStepIfRisky(
  "callAnalytics({ Application: riskService }, { username: user.username, ip: context.request.ip }",
  "!(answer.event.riskScore <= scoreMost)",
)}`,
  },
  {
    name: "IP-Based",
    title: "IP-Based Authentication Template",
    summary: "Asks for a second factor outside the networks that you know.",
    preRequisites: ["The service sees the caller's own address, not that of a proxy."],
    parameters: { knownNetworks: "IPv4 networks in which a password is enough, as address/bits" },
    script: `
var knownNetworks = ['10.0.0.0/8', '192.168.0.0/16'];

var numberOf = function (address) {
  return address.split('.').reduce(function (sum, part) { return sum * 256 + Number(part); }, 0);
};

var isIn = function (address, network) {
  var parts = network.split('/');
  var size = Math.pow(2, 32 - Number(parts[1]));
  return Math.floor(numberOf(address) / size) === Math.floor(numberOf(parts[0]) / size);
};

var isKnown = function (address) {
  return knownNetworks.some(function (network) { return isIn(address, network); });
};
${secondStepIf("!isKnown(context.request.ip)")}`,
  },
  {
    name: "New-Device-Based",
    title: "New-Device-Based Authentication Template",
    summary: "Asks for a second factor on a device that the user has not used before, and tells the user by mail.",
    preRequisites: ["An e-mail template for the notice exists, and users have an e-mail address."],
    parameters: {
      noticeTemplate: "The e-mail template to send; empty sends none",
      cookieName: "The cookie that marks a known device",
      knownForDays: "How long a device stays known",
    },
    script: `
var noticeTemplate = 'UnexpectedLogin';
var cookieName = 'knownDevice';
var knownForDays = 180;

var isKnownTo = function (user, request) {
  return getCookieValue(request, cookieName, { decrypt: true, validateSignature: true }) === user.uniqueId;
};

var remember = function (context, user) {
  setCookie(context.response, cookieName, user.uniqueId, {
    sign: true, encrypt: true, secure: true, httpOnly: true, path: '/', 'max-age': knownForDays * 86400
  });
};

var onLoginRequest = function (context) {
  executeStep(1, {
    onSuccess: function (context) {
      var user = context.currentKnownSubject;
      if (isKnownTo(user, context.request)) {
        return;
      }
      executeStep(2, {
        onSuccess: function (context) {
          remember(context, user);
          if (noticeTemplate) {
            sendEmail(user, noticeTemplate, {});
          }
        }
      });
    }
  });
};
`,
  },
  {
    name: "ELK-Risk-Based",
    title: "ELK Risk-Based 2FA Template",
    summary:
      "Asks Elasticsearch how often somebody failed to sign in lately, and for a second factor after too many times.",
    preRequisites: ["Sign-in events are indexed in Elasticsearch, and calls to its host are allowed."],
    parameters: {
      countUrl: "The _count address of the index that holds the events",
      failuresMost: "The failures up to which a password is enough",
      lately: "How far back to count, in Elasticsearch's notation",
    },
    script: `
var countUrl = 'https://elastic.example:9200/sign-ins/_count';
var failuresMost = 3;
var lately = 'now-10m';

var failuresOf = function (user) {
  return { query: { bool: { filter: [
    { term: { username: user.username } },
    { term: { outcome: 'failure' } },
    { range: { '@timestamp': { gte: lately } } }
  ] } } };
};
${secondStepIfRisky(
  "httpPost(countUrl, failuresOf(user), { Accept: 'application/json' }",
  "!(answer.count <= failuresMost)",
)}`,
  },
];

const userBased: readonly Draft[] = [
  {
    name: "Group-Based",
    title: "Group-Based 2FA Template",
    summary: "Asks members of some groups for a second factor.",
    parameters: { strictGroups: "The groups whose members need a second factor" },
    steps: [steps.password, steps.totpOrPasskey],
    script: `
var strictGroups = ['managers', 'accounting'];
${secondStepIf("isMemberOfAnyOfGroups(user, strictGroups)")}`,
  },
  {
    name: "Role-Based",
    title: "Role-Based 2FA Template",
    summary: "Asks users with some roles for a second factor.",
    parameters: { strictRoles: "The roles whose holders need a second factor" },
    steps: [steps.password, steps.totpOrPasskey],
    script: `
var strictRoles = ['admin', 'manager'];
${secondStepIf("hasAnyOfTheRoles(user, strictRoles)")}`,
  },
  {
    name: "User Store-Based",
    title: "User Store-Based Authentication Template",
    summary: "Asks users of some user stores for a second factor.",
    parameters: { strictUserStores: "The user stores whose users need a second factor" },
    script: `
var strictUserStores = ['PARTNERS'];
${secondStepIf("strictUserStores.indexOf(user.userStoreDomain) >= 0")}`,
  },
  {
    name: "Tenant-Based",
    title: "Tenant-Based Authentication Template",
    summary: "Asks users of some tenants for a second factor in an application that tenants share.",
    preRequisites: ["The application is shared between tenants (saas)."],
    parameters: { strictTenants: "The tenants whose users need a second factor" },
    script: `
var strictTenants = ['fleet.example'];
${secondStepIf("strictTenants.indexOf(user.tenantDomain) >= 0")}`,
  },
  {
    name: "Login-Attempts-Based",
    title: "Login-Attempts-Based Authentication Template",
    summary: "Asks for a second factor when the user failed too often before getting the password right.",
    parameters: {
      failuresMost: "The failures up to which the right password is enough",
      failuresClaim: "The local claim that counts them",
    },
    script: `
var failuresMost = 2;
var failuresClaim = 'http://wso2.org/claims/identity/failedLoginAttemptsBeforeSuccess';
${secondStepIf("Number(user.localClaims[failuresClaim] || 0) > failuresMost")}`,
  },
];

export const adaptiveMfa: readonly Draft[] = [...requestBased, ...userBased];

/** Asks a service for the risk of a sign-in, with a call that takes its handlers last. No answer counts as a risk. */
function secondStepIfRisky(ask: string, isRisky: string): string {
  return `
var onLoginRequest = function (context) {
  executeStep(1, {
    onSuccess: function (context) {
      var user = context.currentKnownSubject;
      ${ask}, {
        onSuccess: function (context, answer) {
          if (${isRisky}) {
            executeStep(2);
          }
        },
        onFail: function (context) {
          Log.warn('No answer about the risk of this sign-in.');
          executeStep(2);
        }
      });
    }
  });
};
`;
}

/** Runs a second step where a test about the user or the request, written in the script's language, holds. */
function secondStepIf(condition: string): string {
  return `
var onLoginRequest = function (context) {
  executeStep(1, {
    onSuccess: function (context) {
      var user = context.currentKnownSubject;
      if (${condition}) {
        executeStep(2);
      }
    }
  });
};
`;
}
