/**
 * The two domains of the API, which serve the same stage: one without client certificates, and one that requires them.
 */
import { type Domains, GATEWAY_STAGE, type Stage } from "./stage.ts";

/** A domain with its validated server certificate. */
export interface Certified {
  readonly name: string;
  readonly zoneId: string;
  readonly certificateArn: $util.Output<string>;
}

/** Requests a certificate for a domain, and validates it by a DNS record in the zone. */
export function certified(component: string, name: string, zoneId: string): Certified {
  const certificate = new aws.acm.Certificate(`${component}Certificate`, { domainName: name, validationMethod: "DNS" });
  const proof = certificate.domainValidationOptions.apply(([option]) => {
    if (!option) throw new Error(`the certificate of ${name} has no DNS validation record`);
    return option;
  });
  const record = new aws.route53.Record(`${component}Proof`, {
    zoneId,
    name: proof.resourceRecordName,
    type: proof.resourceRecordType,
    records: [proof.resourceRecordValue],
    ttl: 60,
    // Another stage, or an earlier certificate, may have validated the same domain.
    allowOverwrite: true,
  });
  const validation = new aws.acm.CertificateValidation(`${component}Validation`, {
    certificateArn: certificate.arn,
    validationRecordFqdns: [record.fqdn],
  });
  return { name, zoneId, certificateArn: validation.certificateArn };
}

/** Creates the domain with client certificates. It serves the same API. */
export function mutualTls(gateway: sst.aws.ApiGatewayV2, stage: Stage, domains: Domains) {
  const { mtls, zoneId } = domains;
  if (mtls === undefined) return undefined;
  const { certificateArn } = certified("Mtls", mtls, zoneId);
  const authorities = truststore(domains.truststore, stage);
  const domain = new aws.apigatewayv2.DomainName("MtlsDomain", {
    domainName: mtls,
    domainNameConfiguration: { certificateArn, endpointType: "REGIONAL", securityPolicy: "TLS_1_2" },
    mutualTlsAuthentication: {
      truststoreUri: $interpolate`s3://${authorities.bucket}/${authorities.key}`,
      // The gateway reads the file only when the domain changes. A new version changes it.
      truststoreVersion: authorities.versionId,
    },
  });
  new aws.apigatewayv2.ApiMapping(
    "MtlsMapping",
    { apiId: gateway.nodes.api.id, domainName: domain.id, stage: GATEWAY_STAGE },
    // AWS refuses a mapping to a stage that does not exist yet. SST does not return the stage itself.
    { dependsOn: [gateway] },
  );
  for (const type of ["A", "AAAA"]) {
    new aws.route53.Record(`Mtls${type}Record`, {
      zoneId,
      name: mtls,
      type,
      aliases: [
        {
          name: domain.domainNameConfiguration.targetDomainName,
          zoneId: domain.domainNameConfiguration.hostedZoneId,
          evaluateTargetHealth: true,
        },
      ],
    });
  }
  return { domain, certificateArn };
}

/** The authorities of accepted clients, in a bucket that the gateway reads. Every version is retained. */
function truststore(file: string, { removal }: Stage) {
  const bucket = new aws.s3.Bucket("Truststore", { forceDestroy: removal === "remove" });
  new aws.s3.BucketPublicAccessBlock("TruststoreAccess", {
    bucket: bucket.id,
    blockPublicAcls: true,
    blockPublicPolicy: true,
    ignorePublicAcls: true,
    restrictPublicBuckets: true,
  });
  const versioning = new aws.s3.BucketVersioning("TruststoreVersions", {
    bucket: bucket.id,
    versioningConfiguration: { status: "Enabled" },
  });
  return new aws.s3.BucketObjectv2(
    "TruststoreFile",
    { bucket: bucket.id, key: "truststore.pem", source: $asset(file), contentType: "application/x-pem-file" },
    { dependsOn: [versioning] },
  );
}
