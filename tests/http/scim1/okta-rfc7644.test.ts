/** Okta's sequence in the profile that it expects. */

import { oktaSequence } from "#tests/support/okta-scim1.ts";
import { RFC7644 } from "#tests/support/scim.ts";

oktaSequence(RFC7644);
