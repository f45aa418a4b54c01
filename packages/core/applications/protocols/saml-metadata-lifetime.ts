/** How long elements of SAML metadata count (SAML Metadata 2.0 section 2.3.1). Pure. */
import { refuse } from "./saml-metadata-tree.ts";

/** xs:dateTime of four-digit years, and xs:duration without a sign. */
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)?$/;
const DURATION = /^P(?=\d|T\d)(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?$/;
const DURATION_MAX = 60;

/** The attributes of an element that limit how long it counts. */
export interface Limited {
  readonly "@validUntil"?: string | undefined;
  readonly "@cacheDuration"?: string | undefined;
}

/** Until when something counts, and after how long it should be read again. */
export interface Lifetime {
  readonly validUntil?: string;
  readonly cacheDuration?: string;
}

/**
 * What holds for an element that is inside others, given from the outside in: the earliest end, and the duration of the
 * innermost element that has one. Throws `saml.invalid` for one that has expired, and for times that are none.
 */
export function lifetimeOf(elements: Readonly<Record<string, Limited>>, nowMs: number): Lifetime {
  const all = Object.entries(elements);
  const ends = all.flatMap(([name, { "@validUntil": until }]) => {
    return until === undefined ? [] : [endOf(name, until.trim(), nowMs)];
  });
  const durations = all.flatMap(([name, { "@cacheDuration": duration }]) => {
    return duration === undefined ? [] : [durationOf(name, duration.trim())];
  });
  const cacheDuration = durations.at(-1);
  return {
    ...(ends.length > 0 && { validUntil: new Date(Math.min(...ends)).toISOString() }),
    ...(cacheDuration !== undefined && { cacheDuration }),
  };
}

function endOf(name: string, text: string, nowMs: number): number {
  const endsMs = timeOf(text);
  if (Number.isNaN(endsMs)) {
    throw refuse(`validUntil of ${name} must be a date and time such as 2030-01-31T08:00:00Z, not '${shown(text)}'.`);
  }
  if (endsMs <= nowMs) {
    throw refuse(
      `It has expired: validUntil of ${name} is ${shown(text)}. Get the current metadata of the application.`,
    );
  }
  return endsMs;
}

function durationOf(name: string, text: string): string {
  if (DURATION.test(text) && text.length <= DURATION_MAX) return text;
  throw refuse(`cacheDuration of ${name} must be a duration such as PT1H or P1D, not '${shown(text)}'.`);
}

/** An xs:dateTime, which is UTC without a time zone; NaN for what is none, such as a 30 February. */
function timeOf(text: string): number {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)T/.exec(text) ?? [];
  const isDay = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  if (!isDay || !DATE_TIME.test(text)) return Number.NaN;
  return Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
}

function shown(text: string): string {
  return text.slice(0, 60).replace(/\p{C}/gu, "\uFFFD");
}
