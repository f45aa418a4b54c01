/** What the steps of `npm run smoke` are made of, and the kinds of resources that a run creates. */

/** Who sends a request: the credential of the command, an anonymous caller, or what the run itself made. */
export type Caller = "operator" | "anonymous" | "stranger" | "user" | "token" | "client";

/** A response, as a step sees it. */
export interface Answer {
  readonly status: number;
  /** The parsed body; `undefined` if it is not JSON. */
  readonly body: unknown;
  /** The last part of the `Location` header. */
  readonly locationId: string | undefined;
}

/** Values by their words. */
export type Known = Readonly<Record<string, string>>;

/** One request with what it must return. */
export interface Step {
  readonly title: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly as: Caller;
  readonly status: number;
  /** Sent as JSON; a text is sent as it is. */
  readonly body?: unknown;
  readonly contentType?: string;
  /** Words that must be known although the request does not contain them. */
  readonly after?: readonly string[];
  /** Values for later steps. A missing one fails the step. */
  readonly takes?: Readonly<Record<string, (answer: Answer) => string | undefined>>;
  /** What else must be true of the response. */
  readonly holds?: (answer: Answer) => boolean;
}

/** A kind of resource that a run creates: how its leftovers are found by the start of their names. */
export interface Kind {
  readonly title: string;
  readonly path: string;
  readonly query: (start: string) => string;
  readonly list: string;
  readonly name: string;
  /** The word of the steps for the id of this kind. */
  readonly word: string;
}

/** The kinds, in the order of their removal. */
export const kinds: readonly Kind[] = [
  {
    title: "applications",
    path: "/api/server/v1/applications",
    query: (start) => `filter=name+sw+${start}&limit=100`,
    list: "applications",
    name: "name",
    word: "application",
  },
  ...(
    [
      ["roles", "/scim2/v2/Roles", "displayName", "role"],
      ["groups", "/scim2/Groups", "displayName", "group"],
      ["users", "/scim2/Users", "userName", "user"],
    ] as const
  ).map(([title, path, name, word]) => ({
    title,
    path,
    query: (start: string) => `filter=${name}+sw+%22${start}%22&attributes=${name}&count=100`,
    list: "Resources",
    name,
    word,
  })),
];

/** The words that a step needs. */
export function needsOf(step: Step): readonly string[] {
  const inside = JSON.stringify([step.path, step.body ?? ""]).matchAll(/\{(\w+)\}/g);
  return [...(step.after ?? []), ...[...inside].map(([, word]) => word ?? "")];
}

/** A text with its values. */
export function filled(text: string, known: Known): string {
  return text.replace(/\{(\w+)\}/g, (whole, word: string) => known[word] ?? whole);
}
