/** Okta's SCIM 1.1 tests in the default profile. */
import { oktaSequence } from "#tests/support/okta-scim1.ts";

oktaSequence();
