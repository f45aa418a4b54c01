/** Templates that let some people in and others not. */
import { type Draft, steps } from "./template.ts";

export const accessControl: readonly Draft[] = [
  {
    name: "User-Age-Based",
    title: "User-Age-Based Authentication Template",
    summary: "Lets people in who have reached an age, and sends the others to a page that says why not.",
    preRequisites: ["The birth date claim of the users is filled in as YYYY-MM-DD."],
    parameters: {
      minimumAge: "The age in years from which on people may use the application",
      birthDateClaim: "The local claim that holds the birth date",
      refusalPage: "Where people are sent who are younger, or whose birth date is not known",
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
    summary: "Asks people of some roles to end an older session when they sign in in too many places.",
    preRequisites: ["The session executor is available as an authenticator of step 2."],
    parameters: {
      limitedRoles: "The roles whose members may have a limited number of sessions",
      sessionsMost: "The number of sessions that they may have at once",
    },
    steps: [steps.password, { description: "Choice of the sessions to end", local: ["SessionExecutor"] }],
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
