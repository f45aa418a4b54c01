/** The parameters of a request. Empty ones count as absent (RFC 6749 section 3.1). */
export type Parameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/** One value of a parameter. */
export function one(parameters: Parameters, name: string): string | undefined {
  const value = parameters[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
