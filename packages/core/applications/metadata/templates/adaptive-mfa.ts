/** Templates that ask for a second factor under a condition. */
import { type Draft, steps } from "./template.ts";

const requestBased: readonly Draft[] = [
  {
    name: "ACR-Based",
    title: "ACR-Based 2FA Template",
    summary: "Uses the strength that the application requests: password, one-time code, or passkey.",
    preRequisites: ["The application sends acr_values with its authorization request."],
    parameters: {
      levels: "The acr values that the application can request, from weak to strong; the weakest is the default",
    },
    steps: [steps.password, steps.totp, steps.passkey],
    script: `
var levels = ['urn:pickup:password', 'urn:pickup:code', 'urn:pickup:passkey'];

var onLoginRequest = function (context) {
  var requested = selectAcrFrom(context, levels);
  var strength = Math.max(levels.indexOf(requested), 0);
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
    summary: "Asks for a second factor when the risk score of an analytics service is high. For existing scripts only.",
    preRequisites: ["An analytics service that returns a riskScore is connected."],
    parameters: {
      riskService: "The name of the application of the service",
      scoreMost: "The maximum score for which a password is enough",
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
    summary: "Asks for a second factor outside of known networks.",
    preRequisites: ["The service sees the address of the client, not of a proxy."],
    parameters: { knownNetworks: "IPv4 networks where a password is enough, as address/bits" },
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
    summary: "Asks for a second factor on a device that is new to the user, and notifies the user by e-mail.",
    preRequisites: ["An e-mail template for the notice exists, and users have e-mail addresses."],
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
    summary: "Asks for a second factor when Elasticsearch has too many recent failed sign-ins of the user.",
    preRequisites: ["Sign-in events are indexed in Elasticsearch, and calls to its host are allowed."],
    parameters: {
      countUrl: "The _count address of the index of the events",
      failuresMost: "The maximum number of failures for which a password is enough",
      lately: "The start of the period to count, in Elasticsearch date math",
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
    parameters: { strictRoles: "The roles whose users need a second factor" },
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
    summary: "Asks for a second factor when the user entered too many wrong passwords.",
    parameters: {
      failuresMost: "The maximum number of failures for which the right password is enough",
      failuresClaim: "The local claim with the number of failures",
    },
    script: `
var failuresMost = 2;
var failuresClaim = 'http://wso2.org/claims/identity/failedLoginAttemptsBeforeSuccess';
${secondStepIf("Number(user.localClaims[failuresClaim] || 0) > failuresMost")}`,
  },
];

export const adaptiveMfa: readonly Draft[] = [...requestBased, ...userBased];

/**
 * Asks a service for the risk of a sign-in. `ask` is a call without its last argument. No response counts as a risk.
 */
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

/** Runs a second step if a condition on the user or the request holds. */
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
