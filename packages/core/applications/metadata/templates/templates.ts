/** The sample templates for adaptive authentication, as the string that the operation returns. */
import { accessControl } from "./access-control.ts";
import { adaptiveMfa } from "./adaptive-mfa.ts";
import { progressiveEnrollment, userAttributes } from "./others.ts";
import { type AdaptiveTemplate, type Draft, templatesOf } from "./template.ts";

/** Consoles sort categories by `order`. */
interface Category {
  readonly displayName: string;
  readonly icon?: string;
  readonly order: number;
  readonly templates?: readonly AdaptiveTemplate[];
}

let json: string | undefined;

/** All categories and templates as JSON text, built once per container. */
export function templatesJson(): string {
  json ??= JSON.stringify(categories());
  return json;
}

function categories(): Readonly<Record<string, Category>> {
  return {
    ...category("AccessControl", "Access Control", 1, "access-control", accessControl),
    ...category("AdaptiveMFA", "Adaptive MFA", 2, "adaptive-mfa", adaptiveMfa),
    ...category("UserAttributes", "User Attributes", 3, "user-attributes", userAttributes),
    ...category("ProgressiveEnrollment", "Progressive Enrollment", 4, "progressive-enrollment", progressiveEnrollment),
    // Consoles add their own templates here.
    uncategorized: { displayName: "Uncategorized", order: 10_000 },
  };
}

function category(key: string, displayName: string, order: number, icon: string, drafts: readonly Draft[]) {
  return {
    [key]: { displayName, icon: `./images/${icon}-template.png`, order, templates: templatesOf(key, drafts) },
  };
}
