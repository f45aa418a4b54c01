/** Deployments with user stores beside PRIMARY, and sign-ins by certificates that name their users. */
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { issueLeaf } from "#local/issue.ts";
import type { Shown } from "./scim.ts";
import type { World } from "./world.ts";

/** Two more stores in the table: SECOND and THIRD. */
export const TWO_STORES = `
[[user_store]]
domain = "second"
kind = "dynamodb"
[[user_store]]
domain = "THIRD"
kind = "dynamodb"
description = "A third one"
`;

/** Lets the holders of certificates in that the development authority issued. */
export const CERTIFICATES = `
[intermediate_cert_validation]
enable = true
cert_cns = ["Identity Admin API development CA"]
`;

/** What `/scim2/Me` says to the holder of a certificate with this common name. */
export const meByCertificate = async (
  { service }: Pick<World, "service">,
  commonName: string,
): Promise<{ readonly status: number; readonly body: Shown }> => {
  const pemAt = (name: string) => readFileSync(join(service.certificates ?? "", name), "utf8");
  const ca = { certificate: pemAt("ca.pem"), key: pemAt("ca.key") };
  const holder = await issueLeaf(ca, commonName, { kind: "client" });
  return new Promise((resolve, reject) => {
    const url = new URL("/scim2/Me", service.mtlsUrl);
    const options = { ca: ca.certificate, servername: "localhost", cert: holder.certificate, key: holder.key };
    request(url, options, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) }));
    })
      .on("error", reject)
      .end();
  });
};
