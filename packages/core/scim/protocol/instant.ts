/** Instants: xsd:dateTime (RFC 7643 section 2.3.5) in a form that can be compared. */

const DATE_TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)?$/i;
const MINUTE = 60_000;
/** The length of `2024-05-13T04:42:34.000Z`: years beyond 9999 and before 0 are longer. */
const ISO_LENGTH = 24;

/**
 * An instant in UTC with nine fractional digits; the order of such texts is the order of the instants. Accepts up to
 * nine digits, any offset, and a time without a zone as UTC, because some provisioning clients write none. Returns
 * `undefined` for anything but a date and time of the years 0000 to 9999.
 */
export function instantOf(text: string): string | undefined {
  const found = DATE_TIME.exec(text);
  if (!found) return undefined;
  const [, local = "", fraction = "", zone = "Z"] = found;
  const wall = Date.parse(`${local}Z`);
  if (Number.isNaN(wall)) return undefined;
  // Date.parse turns 30 February into a day of March.
  if (new Date(wall).toISOString().slice(0, local.length) !== local.toUpperCase()) return undefined;
  const iso = new Date(wall - offsetOf(zone)).toISOString();
  return iso.length === ISO_LENGTH ? `${iso.slice(0, local.length)}.${fraction.padEnd(9, "0")}Z` : undefined;
}

function offsetOf(zone: string): number {
  if (zone.length === 1) return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4));
  return (zone.startsWith("-") ? -minutes : minutes) * MINUTE;
}
