/** What the tests of the template operations share. */
import { APPLICATIONS, type World } from "#tests/support/world.ts";

/** The path of the collection. */
export const TEMPLATES = `${APPLICATIONS}/templates`;

/** The starter template that WSO2's own test reads. */
export const SAML_STARTER = "776a73da-fd8e-490b-84ff-93009f8ede85";

/** Adds a template and returns its id. */
export const addTemplate = async ({ ask }: World, body: Readonly<Record<string, unknown>>): Promise<string> => {
  const { status, headers, text } = await ask("POST", TEMPLATES, { body: { application: { name: "a" }, ...body } });
  if (status !== 201) throw new Error(`add returned ${status}: ${text}`);
  return headers.get("location")?.split("/").at(-1) ?? "";
};

/** Names and ids of all templates in the list, page by page. */
export const allTemplates = async ({ ask }: World): Promise<{ id: string; name: string }[]> => {
  const all: { id: string; name: string }[] = [];
  for (;;) {
    const { templates } = (await ask("GET", `${TEMPLATES}?limit=100&offset=${all.length}`)).body;
    if (templates.length === 0) return all;
    all.push(...templates);
  }
};
