/** Points in time as SCIM writes them (RFC 7643 section 2.3.5: xsd:dateTime), and as they can be compared. */

const DATE_TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)?$/i;
const MINUTE = 60_000;
/** The length of `2024-05-13T04:42:34.000Z`: years beyond 9999 and before 0 are longer. */
const ISO_LENGTH = 24;

/**
 * The instant that a text names, in UTC with nine digits of a second: such texts order as the instants do. Up to nine
 * digits are read, any offset, and a time without a zone as UTC (provisioning clients cannot always write one). Answers
 * `undefined` for what is not a date and time of the years 0000 to 9999.
 */
export function instantOf(text: string): string | undefined {
  const found = DATE_TIME.exec(text);
  if (!found) return undefined;
  const [, local = "", fraction = "", zone = "Z"] = found;
  const wall = Date.parse(`${local}Z`);
  if (Number.isNaN(wall)) return undefined;
  // The 30th of February would silently become a day of March.
  if (new Date(wall).toISOString().slice(0, local.length) !== local.toUpperCase()) return undefined;
  const iso = new Date(wall - offsetOf(zone)).toISOString();
  return iso.length === ISO_LENGTH ? `${iso.slice(0, local.length)}.${fraction.padEnd(9, "0")}Z` : undefined;
}

function offsetOf(zone: string): number {
  if (zone.length === 1) return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4));
  return (zone.startsWith("-") ? -minutes : minutes) * MINUTE;
}
