/** The handlers of the operations on claims. They need no database. */

import { Fault } from "../../kernel/faults.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import type { claimOperations } from "./contract.ts";

/** The parameters of lists that Identity Server has declared and not built. */
interface Unsupported {
  readonly limit?: string | undefined;
  readonly offset?: string | undefined;
  readonly filter?: string | undefined;
  readonly sort?: string | undefined;
  readonly attributes?: string | undefined;
}

/** The claims are a chunk of their own. */
const claims = () => import("./present.ts");

export const claimHandlers: Handlers<typeof claimOperations, unknown> = {
  async listClaimDialects({ query }, { tenant }) {
    checkList(query);
    return (await claims()).presentDialects(tenant);
  },

  async getClaimDialect({ params }, { tenant }) {
    const all = await (await claims()).presentDialects(tenant);
    return all.find(({ id }) => id === params.dialectId) ?? refuse(dialectNotFound(params.dialectId));
  },

  async listLocalClaims({ query }) {
    checkList(query);
    const { presentLocalClaims, isIdentityClaim } = await claims();
    return (await presentLocalClaims()).filter(
      ({ claimURI, supportedByDefault }) =>
        !(query["exclude-identity-claims"] && isIdentityClaim(claimURI)) && (!query.profile || supportedByDefault),
    );
  },

  async getLocalClaim({ params }) {
    const all = await (await claims()).presentLocalClaims();
    const found = all.find(({ id }) => id === params.claimId);
    if (found) return found;
    throw new Fault(
      "claim.local_not_found",
      `Unable to find a resource matching the provided local claim identifier ${params.claimId.slice(0, 100)}.`,
    );
  },

  async listExternalClaims({ params, query }) {
    checkList(query);
    return (await externalClaims(params.dialectId)) ?? refuse(dialectNotFound(params.dialectId));
  },

  async getExternalClaim({ params }) {
    const all = (await externalClaims(params.dialectId)) ?? refuse(dialectNotFound(params.dialectId));
    const found = all.find(({ id }) => id === params.claimId);
    if (found) return found;
    throw new Fault(
      "claim.external_not_found",
      `The dialect has no claim with the identifier ${params.claimId.slice(0, 100)}.`,
    );
  },
};

async function externalClaims(dialectId: string) {
  return (await claims()).presentExternalClaims(dialectId);
}

function checkList({ limit, offset, filter, sort, attributes }: Unsupported): void {
  if (limit !== undefined || offset !== undefined) {
    throw new Fault("claim.paging", "All claims are on one page: leave out limit and offset.");
  }
  if (filter !== undefined) throw new Fault("claim.filtering", "Claims cannot be filtered: leave out filter.");
  if (sort !== undefined) throw new Fault("claim.sorting", "Claims cannot be sorted: leave out sort.");
  if (attributes !== undefined) {
    throw new Fault("claim.attributes", "Claims are shown with all members: leave out attributes.");
  }
}

function dialectNotFound(id: string): Fault {
  return new Fault(
    "claim.dialect_not_found",
    `Unable to find a resource matching the provided claim dialect identifier ${id.slice(0, 100)}.`,
  );
}

function refuse(fault: Fault): never {
  throw fault;
}
