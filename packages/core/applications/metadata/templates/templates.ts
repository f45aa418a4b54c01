/** The sample templates for adaptive authentication, as the one string that the operation answers. */
import { accessControl } from "./access-control.ts";
import { adaptiveMfa } from "./adaptive-mfa.ts";
import { progressiveEnrollment, userAttributes } from "./others.ts";
import { type AdaptiveTemplate, type Draft, templatesOf } from "./template.ts";

/** One category; consoles show them by `order`. */
interface Category {
  readonly displayName: string;
  readonly icon?: string;
  readonly order: number;
  readonly templates?: readonly AdaptiveTemplate[];
}

let written: string | undefined;

/** All categories and templates as JSON text. It is written by the first request that asks, once per container. */
export function templatesJson(): string {
  written ??= JSON.stringify(categories());
  return written;
}

function categories(): Readonly<Record<string, Category>> {
  return {
    ...category("AccessControl", "Access Control", 1, "access-control", accessControl),
    ...category("AdaptiveMFA", "Adaptive MFA", 2, "adaptive-mfa", adaptiveMfa),
    ...category("UserAttributes", "User Attributes", 3, "user-attributes", userAttributes),
    ...category("ProgressiveEnrollment", "Progressive Enrollment", 4, "progressive-enrollment", progressiveEnrollment),
    // Where a console puts templates of its own.
    uncategorized: { displayName: "Uncategorized", order: 10_000 },
  };
}

function category(key: string, displayName: string, order: number, icon: string, drafts: readonly Draft[]) {
  return {
    [key]: { displayName, icon: `./images/${icon}-template.png`, order, templates: templatesOf(key, drafts) },
  };
}
