/** The histories of applications, of their authorized APIs and assignments, and of the resident application. */
import { assignmentOperations } from "../../applications/assignments/contract.ts";
import { authorizedApiOperations } from "../../applications/authorized-apis/contract.ts";
import { applicationOperations } from "../../applications/management/contract.ts";
import { historyOf } from "./contract-parts.ts";

const application = historyOf(applicationOperations.getApplication, {
  list: "List the changes of an application and its protocols, newest first",
  at: "Read an application as it was after a change",
});
const authorized = historyOf(authorizedApiOperations.listAuthorizedApis, {
  list: "List the changes of the APIs that an application is authorized for, newest first",
  at: "Read the APIs that an application was authorized for after a change",
});
const assigned = historyOf(assignmentOperations.listAssignments, {
  list: "List the changes of who is assigned to an application, newest first",
  at: "Read who was assigned to an application after a change",
});
const resident = historyOf(applicationOperations.getResidentApplication, {
  list: "List the changes of the resident application, newest first",
  at: "Read the resident application as it was after a change",
});

export const applicationHistoryOperations = {
  listApplicationHistory: application.list,
  getApplicationVersion: application.at,
  listAuthorizedApisHistory: authorized.list,
  getAuthorizedApisVersion: authorized.at,
  listAssignmentsHistory: assigned.list,
  getAssignmentsVersion: assigned.at,
  listResidentApplicationHistory: resident.list,
  getResidentApplicationVersion: resident.at,
} as const;
