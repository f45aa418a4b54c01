/** Application templates of the tenant; those that the service ships are no part of a folder. */
import { withoutConfidential } from "#core/applications/templates/confidential.ts";
import { NewTemplate } from "#core/applications/templates/shapes.ts";
import { starterTemplates } from "#core/applications/templates/starter.ts";
import { type Document, plainData } from "../document.ts";
import type { FolderKind } from "../kind.ts";
import { eachOf, sending, unique } from "./simple.ts";

const TEMPLATES = "/api/server/v1/applications/templates";

export const templates: FolderKind = {
  name: "templates",
  keyOf: ({ name }) => String(name),
  uniques: ({ name }) => [unique("name of a template", name)],
  async read(api, deployment, _, onEach) {
    const all = await api.templates.list().all();
    const own = all.filter(({ id }) => !starterTemplates.some((starter) => starter.id === id));
    return eachOf(own, async ({ id }) => {
      onEach();
      const { id: __, ...shown } = await api.templates.get(id);
      return { id, document: templates.normalised(plainData(shown), undefined, deployment) };
    });
  },
  normalised(document, _, { customKinds }) {
    return plainData(withoutConfidential(NewTemplate.parse(document), customKinds)) as Document;
  },
  create: (document) => [
    {
      async run({ api, ids, dryRun }) {
        const { id } = await api.send("POST", TEMPLATES, { body: document, dryRun });
        if (!dryRun) ids.set("templates", String(document.name), id);
      },
    },
  ],
  update: (document, { id }) => [sending("PUT", `${TEMPLATES}/${encodeURIComponent(id)}`, document)],
  delete: ({ id }) => [sending("DELETE", `${TEMPLATES}/${encodeURIComponent(id)}`)],
};
