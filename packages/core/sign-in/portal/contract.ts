/**
 * The applications that the calling user can open, as in WSO2's user application API (decision 0193): portals show
 * them.
 */
import { LIMIT_DEFAULTS, limitMeta, PageLinks, textParameter, wholeNumber } from "../../kernel/management-api.ts";
import { endpointsOf } from "../../kernel/operation/endpoints.ts";
import { operation, SIGNED_IN } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";

/** An application in a portal. */
export const MyApplication = z
  .object({
    id: z.string().meta({ description: "The id of the application" }),
    name: z.string().optional().meta({ description: "The name of the application" }),
    description: z.string().optional().meta({ description: "What the application is for" }),
    image: z.string().optional().meta({ description: "The address of its image" }),
    accessUrl: z.string().optional().meta({ description: "The address that opens the application" }),
  })
  .meta({ id: "MyApplication" });

/** A page of the applications of a user. */
export const MyApplicationList = z
  .object({
    totalResults: z.int().meta({ description: "The number of applications on all pages" }),
    startIndex: z.int().meta({ description: "The position of the first one of this page, from 1" }),
    count: z.int().meta({ description: "The number of applications on this page" }),
    applications: z.array(MyApplication).meta({ description: "In the order of their names" }),
    links: PageLinks,
  })
  .meta({ id: "MyApplicationList" });

/** Which applications are listed, and what of each. */
export const MyApplicationQuery = z.object({
  limit: wholeNumber(limitMeta("applications", LIMIT_DEFAULTS.applications), 1),
  offset: wholeNumber({ description: "The number of applications to skip", default: 0, minimum: 0 }, 0),
  filter: textParameter("`name` with `eq`, `co`, `sw` or `ew`, such as `name co board`; more with `and` or `or`"),
  attributes: textParameter("The members to show besides `id`, with commas between them; absent: all"),
});

const at = endpointsOf("sessions", "/api/users/v1/me/applications", { own: SIGNED_IN }, "decision 0193");
const reads = { does: ["read own session"] } as const;

export const portalOperations = {
  listMyApplications: operation({
    ...at("GET", "", "own"),
    ...reads,
    summary: "List the applications that the calling user can open",
    query: MyApplicationQuery,
    success: { status: 200, body: MyApplicationList },
    failures: [400],
  }),
  getMyApplication: operation({
    ...at("GET", "/{applicationId}", "own"),
    ...reads,
    summary: "Get an application that the calling user can open",
    params: z.object({ applicationId: z.string().min(1).max(255).meta({ description: "The id of an application" }) }),
    success: { status: 200, body: MyApplication },
    failures: [404],
  }),
} as const;
