/** Okta's sequence in the default profile. */
import { oktaSequence } from "#tests/support/okta-scim1.ts";

oktaSequence();
