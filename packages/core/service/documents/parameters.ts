/** The parameters of an operation in the document. */
import type { Operation } from "../../kernel/operation/operation.ts";
import { canRehearse, DRY_RUN } from "../../kernel/operation/rehearsal.ts";
import { isRepeatable } from "../../kernel/operation/repeatable.ts";
import * as z from "../../kernel/zod.ts";
import type { Components } from "./components.ts";
import { sentence, withLimits } from "./descriptions/describing.ts";
import { parameterDescriptions } from "./descriptions/texts.ts";
import type { Json } from "./json-schema.ts";

type Place = "path" | "query" | "header";

/** Keywords about the text in the query string, which do not hold for the number or boolean in it. */
const OF_TEXT: ReadonlySet<string> = new Set(["enum", "pattern", "minLength", "maxLength"]);

/** RFC 9110 sections 13.1.1 and 13.1.2. */
const IfNoneMatch = z.string().optional().meta({ description: "The entity tags that the caller already has" });

/** The parameter of every operation that changes data (decision 0087). */
const DryRun = z
  .enum(["true", "false"])
  .optional()
  .meta({ description: "True: answers as the request would, and changes nothing", type: "boolean" });

const conditions = {
  "If-Match": z.string().optional().meta({
    description: "The entity tags of which the resource must have one, or `*`; 412 if it has changed",
  }),
  "If-None-Match": z.string().optional().meta({
    description: "The entity tags of which the resource must have none; `*`: it must not exist yet",
  }),
};

/** Decision 0086. Not parsed as a parameter: clients send it in two forms. */
const IdempotencyKey = z.string().min(1).max(257).optional().meta({
  description:
    "A text that the caller chooses for this one request, in double quotes: 1 to 255 printable ASCII characters, best a UUID. A repeat with the same key gets the first answer",
});

/** The parameters of an operation, without those that the contract does not document. */
export function parametersOf(declared: Operation, components: Components): Json[] {
  const { method, params, query, headers, success, target } = declared;
  const shapes = (shape: z.ZodObject | undefined) => Object.entries((shape?.shape ?? {}) as Record<string, z.ZodType>);
  return [
    ...shapes(params).map(([name, shape]) => parameter(name, shape, "path", components)),
    ...shapes(query).map(([name, shape]) => parameter(name, shape, "query", components)),
    ...(canRehearse(declared) ? [parameter(DRY_RUN, DryRun, "query", components)] : []),
    ...shapes(headers)
      .filter(([name]) => name !== "authorization")
      .map(([name, shape]) => parameter(name, shape, "header", components)),
    ...(isRepeatable(declared) ? [parameter("Idempotency-Key", IdempotencyKey, "header", components)] : []),
    ...(method === "GET" && success.etag ? [parameter("If-None-Match", IfNoneMatch, "header", components)] : []),
    ...Object.entries(target === undefined ? {} : conditions).map(([name, shape]) =>
      parameter(name, shape, "header", components),
    ),
  ].filter((each) => each !== undefined);
}

function parameter(name: string, shape: z.ZodType, place: Place, components: Components): Json | undefined {
  const { undocumented, default: fallback } = shape.meta() ?? {};
  if (undocumented === true) return undefined;
  const { description: own, default: _, ...schema } = components.schemaOf(shape, "input");
  const isText = schema.type === "string";
  const description = typeof own === "string" ? own : parameterDescriptions[name];
  return {
    name,
    in: place,
    required: place === "path" || !shape.safeParse(undefined).success,
    ...(description !== undefined && { description: withLimits(sentence(description), isText ? schema : {}) }),
    schema: {
      // Without it, a path would be that of another operation.
      ...(place === "path" && { minLength: 1 }),
      ...Object.fromEntries(Object.entries(schema).filter(([keyword]) => isText || !OF_TEXT.has(keyword))),
      ...(fallback !== undefined && { default: fallback }),
    },
  };
}
