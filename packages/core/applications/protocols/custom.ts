/** Custom inbound protocols: settings, and their check against the declaration in deployment.toml. */
import type * as z from "zod";
import { Fault } from "../../kernel/faults.ts";
import { nearest } from "../../kernel/nearest.ts";
import type { Seal } from "../../kernel/seal.ts";
import { checkTogetherLater } from "../../kernel/together.ts";
import { listed } from "../../kernel/words.ts";
import { checkCasProperty } from "./cas.ts";
import type { CustomProperty, CustomProtocolKind } from "./custom-kind.ts";
import { protocolKinds } from "./kinds.ts";
import type { CustomSettings } from "./model.ts";
import { readPattern } from "./pattern.ts";
import { PATTERN_LIMITS } from "./pattern-size.ts";
import type { CustomBody, CustomShown } from "./shapes.ts";

type Stored = CustomSettings["properties"][number];

/** The declaration of that name. Throws `application.invalid` if there is none. */
export function customKindOf(name: string, kinds: readonly CustomProtocolKind[]): CustomProtocolKind {
  const kind = kinds.find((candidate) => candidate.name === name);
  if (kind) return kind;
  const standard = Object.values(protocolKinds).map(({ segment }) => segment);
  const declared = kinds.map((candidate) => candidate.name);
  const own =
    declared.length > 0 ? `, and those of deployment.toml: ${declared.join(", ")}` : "; deployment.toml declares none";
  const meant = nearest(name, [...declared, ...standard]);
  throw refuse(
    `Unknown inbound type: ${name.slice(0, 200)}.${meant === undefined ? "" : ` Did you mean ${meant}?`} ` +
      `The types are ${listed(standard, "and")}${own}.`,
  );
}

/** Checks that every pattern is valid RE2. Throws an `Error` that names the property, when the service starts. */
export async function checkPatterns(kinds: readonly CustomProtocolKind[]): Promise<void> {
  for (const kind of kinds) {
    for (const { name, validationRegex } of kind.properties) {
      if (validationRegex !== undefined && !(await readPattern(validationRegex))) {
        throw new Error(
          `The validation_regex of the property "${name}" of "${kind.name}" is not a valid RE2 pattern with ${PATTERN_LIMITS}.`,
        );
      }
    }
  }
}

/**
 * Checks a body, which replaces all settings. Returns the function to the new settings from those before: a
 * confidential property that the body names without a value keeps its value, because responses withhold it. Both throw
 * `application.invalid`.
 */
export async function customSettings(
  kind: CustomProtocolKind,
  body: z.output<typeof CustomBody>,
  seal: Seal,
  owner: string,
): Promise<(before: CustomSettings | undefined) => CustomSettings> {
  const given = new Map<string, string | undefined>();
  await checkTogetherLater(
    ...(body.properties ?? []).map(({ key, value }) => () => {
      if (given.has(key)) throw refuse(`The property '${key}' is given twice.`);
      given.set(key, value);
      if (kind.properties.some(({ name }) => name === key)) return;
      throw refuse(
        `The protocol '${kind.name}' has no property '${key}'; it has: ${kind.properties.map(({ name }) => name).join(", ")}.`,
      );
    }),
    ...kind.properties.map((property) => async () => {
      const value = givenValueOf(property, given);
      if (value === undefined) return;
      await checkValue(property, value);
      if (kind.engine === "cas") checkCasProperty(property.name, value);
    }),
  );
  return (before) => {
    const former = new Map(before?.properties.map((stored) => [stored.key, stored]));
    const properties = kind.properties.flatMap((property): Stored[] => {
      const { name, isConfidential, required } = property;
      const value = givenValueOf(property, given);
      const kept = given.has(name) && given.get(name) === undefined ? former.get(name) : undefined;
      if (kept?.isSealed) return [kept];
      const set = (isConfidential ? kept?.value : undefined) ?? value;
      if (set !== undefined) return [sealedOr(property, set, seal, owner)];
      if (required) throw refuse(`The property '${name}' is required.`);
      return [];
    });
    const { name, engine } = kind;
    return { name, configName: body.configName, ...(engine && { engine }), properties };
  };
}

/** The value that a body sets, or the default; an empty text is no value. */
function givenValueOf({ name, defaultValue }: CustomProperty, given: ReadonlyMap<string, string | undefined>) {
  return (given.get(name) ?? defaultValue) || undefined;
}

function sealedOr({ name, isConfidential }: CustomProperty, value: string, seal: Seal, owner: string): Stored {
  return isConfidential ? { key: name, value: seal.seal(value, owner), isSealed: true } : { key: name, value };
}

async function checkValue(property: CustomProperty, value: string): Promise<void> {
  const { name, type, availableValues, validationRegex } = property;
  const wrong = (what: string) => refuse(`The property '${name}' ${what}.`);
  if (type === "BOOLEAN" && !/^(true|false)$/.test(value)) throw wrong("must be true or false");
  if (type === "INTEGER" && !/^-?\d{1,15}$/.test(value)) throw wrong("must be a whole number");
  if (availableValues.length > 0 && !availableValues.includes(value)) {
    throw wrong(`must be one of ${availableValues.join(", ")}`);
  }
  if (validationRegex === undefined) return;
  const pattern = await readPattern(validationRegex);
  if (!pattern) throw new Error(`the validation_regex of ${name} in deployment.toml is not a valid RE2 pattern`);
  if (!pattern.matches(value)) throw wrong(`must match ${validationRegex}`);
}

/**
 * The settings in a response; `friendlyName` is the display name of the current declaration. `open` opens confidential
 * values. Where it is absent, the caller must not see them: their properties have no value.
 */
export function presentCustom(
  settings: CustomSettings,
  kinds: readonly CustomProtocolKind[],
  open?: (sealed: string) => string,
): z.input<typeof CustomShown> {
  const declared = kinds.find(({ name }) => name === settings.name)?.properties ?? [];
  return {
    name: settings.name,
    configName: settings.configName,
    properties: settings.properties.map(({ key, value, isSealed }) => {
      const property = declared.find(({ name }) => name === key);
      // Stored before it was declared confidential, a value is not sealed.
      const isConfidential = isSealed || property?.isConfidential;
      return {
        key,
        ...((open || !isConfidential) && { value: isSealed && open ? open(value) : value }),
        friendlyName: property?.displayName,
      };
    }),
  };
}

function refuse(description: string): Fault {
  return new Fault("application.invalid", description);
}
