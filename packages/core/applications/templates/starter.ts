/**
 * The starter templates: read-only, the same for every tenant (decision 0009). Their ids are those of WSO2 Identity
 * Server, which clients know; their content was written for this project. Each has the settings of its kind of
 * application, and omits what every application must have for itself: callback URLs, the SAML issuer, the realm.
 */
import type { Template } from "./model.ts";
import templates from "./starter.json" with { type: "json" };

/** The starter templates, in the order of the list. */
export const starterTemplates = templates as readonly Template[];
