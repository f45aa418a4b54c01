/** The name of a user for a service provider (SAML Core 2.0 section 8.3), by the format that its answer has. */
import type { Application } from "../../applications/registry/model.ts";
import type { SamlAsked } from "../flow/saml/asked.ts";
import { EMAIL_CLAIM, nameIdFormatOf, nameIdFormats, samlOf } from "../flow/saml/claims.ts";
import { type ClaimedUser, localValue } from "../openid/user-claims.ts";
import { subjectName } from "../sso/claimed.ts";
import type { NameId } from "./response.ts";
import { SamlRefusal, status } from "./status.ts";

/** Names that are made for a service provider. */
export interface MadeNames {
  /** One that says nothing of the user, and is another one in the next session. */
  readonly transient: () => string;
  /** One that stays, for the service provider alone. One round trip at most. */
  readonly pairwise: () => Promise<string>;
}

/** The name. Throws `SamlRefusal` where the user has none in the format. */
export async function nameIdOf(
  asked: SamlAsked,
  claimed: ClaimedUser,
  application: Application,
  entityId: string,
  { transient, pairwise }: MadeNames,
): Promise<NameId> {
  const format = nameIdFormatOf(asked, application);
  const qualifiers = { by: entityId, for: samlOf(application.inbound).issuer };
  switch (format) {
    case nameIdFormats.transient:
      return { format, value: transient(), qualifiers };
    case nameIdFormats.persistent:
      return { format, value: await pairwise(), qualifiers };
    case nameIdFormats.email: {
      const address = localValue(EMAIL_CLAIM, claimed, {});
      // Another tenant may have given its user the address of a user of this one.
      if (!claimed.isGuest && typeof address === "string" && address !== "") return { format, value: address };
      throw new SamlRefusal(status.responder, status.nameIdPolicy, "The user has no e-mail address for this format.");
    }
    default:
      return { format, value: subjectName(claimed, application) };
  }
}
