/** Templates that allow or refuse a sign-in. */
import { type Draft, steps } from "./template.ts";

export const accessControl: readonly Draft[] = [
  {
    name: "User-Age-Based",
    title: "User-Age-Based Authentication Template",
    summary: "Allows users from a minimum age. Redirects other users to a page with the reason.",
    preRequisites: ["Users have a birth date claim in the form YYYY-MM-DD."],
    parameters: {
      minimumAge: "The minimum age in years",
      birthDateClaim: "The local claim that holds the birth date",
      refusalPage: "The page for users who are younger, or without a birth date",
    },
    steps: [steps.password],
    script: `
var minimumAge = 18;
var birthDateClaim = 'http://wso2.org/claims/dob';
var refusalPage = '';

var ageOn = function (today, birthDate) {
  var parts = /^(\\d{4})-(\\d{2})-(\\d{2})$/.exec(birthDate || '');
  if (!parts) {
    return -1;
  }
  var years = today.getFullYear() - parts[1];
  var month = today.getMonth() + 1;
  var birthdayIsAhead = month < +parts[2] || (month === +parts[2] && today.getDate() < +parts[3]);
  return birthdayIsAhead ? years - 1 : years;
};

var onLoginRequest = function (context) {
  executeStep(1, {
    onSuccess: function (context) {
      var user = context.currentKnownSubject;
      if (ageOn(new Date(), user.localClaims[birthDateClaim]) < minimumAge) {
        sendError(refusalPage, { status: 'Not permitted', statusMsg: 'You must be ' + minimumAge + ' or older.' });
      }
    }
  });
};
`,
  },
  {
    name: "Session-Based",
    title: "Concurrent Session Management Template with Roles",
    summary: "Asks users with some roles to end an older session when they have too many.",
    preRequisites: ["The session executor is available as an authenticator of step 2."],
    parameters: {
      limitedRoles: "The roles with a limited number of sessions",
      sessionsMost: "The maximum number of sessions of a user",
    },
    steps: [steps.password, { description: "Selection of the sessions to end", local: ["SessionExecutor"] }],
    script: `
var limitedRoles = ['dispatcher'];
var sessionsMost = 2;

var onLoginRequest = function (context) {
  executeStep(1, {
    onSuccess: function (context) {
      var user = context.currentKnownSubject;
      if (!hasAnyOfTheRoles(user, limitedRoles)) {
        return;
      }
      if (getUserSessions(user).length >= sessionsMost) {
        executeStep(2, { authenticatorParams: { local: { SessionExecutor: { MaxSessionCount: '' + sessionsMost } } } }, {});
      }
    }
  });
};
`,
  },
];
