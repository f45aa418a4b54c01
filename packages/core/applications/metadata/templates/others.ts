/** Templates that change attributes of a user, and templates that enrol a stronger factor. */
import { type Draft, steps } from "./template.ts";

export const userAttributes: readonly Draft[] = [
  {
    name: "Update Office365 role",
    title: "Office365-Based Authentication Template",
    summary: "Assigns local roles to users of Office 365, by their groups there.",
    preRequisites: [
      "A connection to Office 365 is an option of step 1, and users are provisioned at their first sign-in.",
      "The connection provides the groups of its users.",
    ],
    parameters: {
      connection: "The name of the connection to Office 365",
      groupsClaim: "The remote claim with the groups, separated by commas",
      roleOfGroup: "The local role for each group of Office 365",
    },
    steps: [steps.password],
    script: `
var connection = 'Office365';
var groupsClaim = 'groups';
var roleOfGroup = { 'Taxi dispatch': 'dispatcher', 'Taxi finance': 'accountant' };

var onLoginRequest = function (context) {
  executeStep(1, {
    onSuccess: function (context) {
      var step = context.steps[1];
      if (step.idp !== connection) {
        return;
      }
      var groups = (step.subject.remoteClaims[groupsClaim] || '').split(',');
      var given = [];
      var taken = [];
      Object.keys(roleOfGroup).forEach(function (group) {
        (groups.indexOf(group) >= 0 ? given : taken).push(roleOfGroup[group]);
      });
      assignUserRoles(step.subject, given);
      removeUserRoles(step.subject, taken);
    }
  });
};
`,
  },
];

export const progressiveEnrollment: readonly Draft[] = [
  {
    name: "Passkey Progressive Enrollment",
    title: "Passkey Progressive Enrollment Template",
    summary: "Users sign in with a passkey. Users without one enrol it after their password.",
    preRequisites: ["Progressive enrolment of passkeys is enabled."],
    steps: [{ description: "Password or passkey", local: ["BasicAuthenticator", "FIDOAuthenticator"] }],
    script: `
var onLoginRequest = function (context) {
  executeStep(1, {
    onFail: function (context) {
      // Enrolling a passkey needs the password first.
      if (String(context.request.params.scenario) !== 'INIT_FIDO_ENROLL') {
        return;
      }
      executeStep(1, {
        stepOptions: { forceAuth: 'true' },
        authenticationOptions: [{ authenticator: 'BasicAuthenticator' }]
      }, {
        onSuccess: function (context) {
          executeStep(1, { authenticationOptions: [{ authenticator: 'FIDOAuthenticator' }] }, {});
        }
      });
    }
  });
};
`,
  },
  {
    name: "Push Device Progressive Enrollment",
    title: "Push Notification Device Progressive Enrollment Template",
    summary:
      "Users sign in by confirming on their phone. Users without a registered phone register it after their password.",
    preRequisites: ["Progressive enrolment of push devices is enabled."],
    steps: [
      { description: "Confirmation on a registered phone", local: ["push-notification-authenticator"] },
      steps.password,
    ],
    script: `
var onLoginRequest = function (context) {
  executeStep(1, {
    onFail: function (context) {
      // Registering a phone needs the password first.
      if (String(context.request.params.scenario) !== 'PROGRESSIVE_DEVICE_ENROLLMENT') {
        return;
      }
      executeStep(2, {
        onSuccess: function (context) {
          executeStep(1, { stepOptions: { forceAuth: 'true' } }, {});
        }
      });
    }
  });
};
`,
  },
];
