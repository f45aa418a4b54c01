/** The client of a sign-in that ends without a token: pages ask as for any other. No row has one. Pure. */
import type { Client } from "../../../applications/registry/client-store.ts";

/** A client that gets no tokens. Its id is none that a tenant can register. */
export function tokenlessClient({
  takesGuests = false,
  ...named
}: Pick<Client, "clientId" | "tenant" | "applicationId"> & { readonly takesGuests?: boolean }): Client {
  return {
    ...named,
    settings: {
      sealedSecret: "",
      isEnabled: true,
      state: "ACTIVE",
      grantTypes: [],
      isPublic: true,
      tokenType: "",
      userTokenSeconds: 0,
      clientTokenSeconds: 0,
      refreshSeconds: 0,
      rotatesRefresh: true,
      ...(takesGuests && { takesGuests }),
    },
    apis: [],
    tokensFromMs: 0,
    scopesFromMs: 0,
    guestsFromMs: 0,
    assignedFromMs: 0,
  };
}
