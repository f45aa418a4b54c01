/** `deployment.toml` as a whole: the settings of a deployment, for all of its tenants. */
import { accessSection } from "./access.ts";
import { accountSection } from "./account.ts";
import { apiSection } from "./api.ts";
import { changesSection } from "./changes.ts";
import { customProtocolSection } from "./custom-protocols.ts";
import { emailSection } from "./email.ts";
import { fromFile } from "./file.ts";
import { indexSection } from "./indexes.ts";
import { oauthSection } from "./oauth.ts";
import { passwordSection } from "./password.ts";
import { registrationSection } from "./registration.ts";
import { scim2Section } from "./scim2.ts";
import { readSections } from "./section.ts";
import { signInSection } from "./sign-in.ts";
import { userNameSection } from "./user-names.ts";
import { userStoreSection } from "./user-stores.ts";

/** What a deployment.toml sets. */
export type Deployment = ReturnType<typeof readDeployment>;

/** Reads every section. Throws as `readSections` does, also for a key that no section has. */
export function readDeployment(source: string) {
  return readSections(
    source,
    [
      apiSection,
      changesSection,
      scim2Section,
      indexSection,
      oauthSection,
      signInSection,
      emailSection,
      passwordSection,
      accountSection,
      registrationSection,
      accessSection,
      userNameSection,
      userStoreSection,
      customProtocolSection,
    ],
    true,
  );
}

/** Reads every section of a file. */
export function deploymentFromFile(path: string): Deployment {
  const deployment = fromFile(path, readDeployment);
  const { rules, certificates } = deployment.access;
  // The authorizer checks the rules against the operations later; its refusals name the file too.
  return { ...deployment, access: { certificates, rules: rules.map((rule) => ({ ...rule, file: path })) } };
}
