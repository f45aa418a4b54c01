/** A template as it is kept, and how an application starts from one. Pure. */
import type * as z from "zod";
import type { NewTemplate } from "./shapes.ts";

/** What a caller says of a template. */
export type TemplateFields = z.output<typeof NewTemplate>;

/** A template. */
export type Template = TemplateFields & { readonly id: string };

/** A template without its application: what lists show and are filtered by. */
export type TemplateSummary = Omit<Template, "application">;

/** Settings of any kind, by name. */
export type Settings = Readonly<Record<string, unknown>>;

/** Parts of an application are laid over each other one level deep, so that a claim or a certificate stays of one piece. */
const PART_LEVELS = 1;
/** Protocols: protocol by protocol, setting by setting, and within a group of settings such as `pkce`. */
const PROTOCOL_LEVELS = 2;

/** The ways to describe a SAML service provider: one of them, never two (spec, "SAML2 update body"). */
const samlMethods = ["metadataFile", "metadataURL", "manualConfiguration"];

/** Parts with a rule of their own. */
const rules = { inboundProtocolConfiguration: protocolsOf, authenticationSequence: sequenceOf };

/** Whether a value is settings rather than a list, a text or nothing. */
export function isSettings(value: unknown): value is Settings {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/**
 * The body of a new application that starts from a template: the template's application with the body laid over it,
 * member by member. Lists are replaced. `templateId` is the template's id unless the body has one.
 */
export function overTemplate({ id, application }: Template, body: Settings): Settings {
  return {
    ...overlay({ ...application, templateId: id }, body, PART_LEVELS),
    ...Object.fromEntries(
      Object.entries(rules)
        .filter(([name]) => isSettings(body[name]))
        .map(([name, rule]) => [name, rule(part(application, name), part(body, name))]),
    ),
  };
}

/** One object laid over another: members that hold settings in both are laid over each other too, `levels` deep. */
function overlay(under: Settings, over: Settings, levels: number): Settings {
  const laid = (name: string, value: unknown) =>
    levels > 0 && isSettings(value) ? overlay(part(under, name), value, levels - 1) : value;
  const given = Object.entries(over).filter(([, value]) => value !== undefined);
  return { ...under, ...Object.fromEntries(given.map(([name, value]) => [name, laid(name, value)])) };
}

/** The member of that name where it holds settings itself. */
function part(settings: Settings, name: string): Settings {
  const value = Object.hasOwn(settings, name) ? settings[name] : undefined;
  return isSettings(value) ? value : {};
}

function protocolsOf(under: Settings, over: Settings): Settings {
  const method = samlMethods.find((name) => name in part(over, "saml"));
  const others = samlMethods.filter((name) => method && name !== method);
  const saml = others.length > 0 ? { saml: without(part(under, "saml"), others) } : {};
  return overlay({ ...under, ...saml }, over, PROTOCOL_LEVELS);
}

/** The type of the template's sequence says nothing about steps that the body brings. */
function sequenceOf(under: Settings, over: Settings): Settings {
  return overlay(over.steps === undefined ? under : without(under, ["type"]), over, 0);
}

function without(settings: Settings, names: readonly string[]): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !names.includes(name)));
}
