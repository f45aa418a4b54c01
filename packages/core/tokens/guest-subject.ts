/**
 * Subjects of guests, which are users of other tenants than the application (decision 0134). None is ever the subject
 * of a user of the application's tenant, whatever a directory calls its users. Pure.
 */
import { createHash } from "node:crypto";

const IS_UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const IS_OF_GUEST = /(?:^|\/)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}@[^@]+$/i;

/** The subject of a guest by its id: a UUID, `@` and the tenant of the guest. */
export function guestSubject(id: string, home: string): string {
  // A directory chooses the ids of its users: another form could pass for the e-mail address of somebody else.
  return `${IS_UUID.test(id) ? id : uuidFor(id)}@${home}`;
}

/**
 * The subject of a user of the tenant, by a claim, at an application that takes guests: a value in the form of a
 * guest's subject gets the tenant, so that it is none.
 */
export function subjectAmongGuests(value: string, tenant: string): string {
  return IS_OF_GUEST.test(value) && !value.endsWith(`@${tenant}`) ? `${value}@${tenant}` : value;
}

/** A UUID that stands for a text (version 8 of RFC 9562). */
function uuidFor(text: string): string {
  const digest = createHash("sha256").update(text, "utf8").digest("hex");
  const parts = [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `8${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ];
  return parts.join("-");
}
