/**
 * The protection of every operation, for the authorizer: it needs no shapes, and building none makes its cold starts
 * shorter (decision 0074). `npm run openapi` writes the table from the catalogue; a test compares the two.
 */
import type { Protections } from "../kernel/operation/operation.ts";
import table from "./protection.json" with { type: "json" };

export const protections = table as Protections;
