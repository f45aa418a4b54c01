/** Okta's SCIM 1.1 tests in the profile that they expect. */

import { oktaSequence } from "#tests/support/okta-scim1.ts";
import { RFC7644 } from "#tests/support/scim.ts";

oktaSequence(RFC7644);
