import { AwsV4Signer } from "aws4fetch";
import type { ServedHeaders } from "#platform/files/file-store.ts";
import type { Bucket } from "./settings.ts";

const goodForSeconds = 60;

/** An address with which anybody may read the file of the key for a minute; the store answers with these headers. */
export async function signAddress(bucket: Bucket, key: string, headers: ServedHeaders): Promise<string> {
  const url = new URL(`${bucket.endpoint}/${bucket.bucket}/${key}`);
  url.searchParams.set("X-Amz-Expires", String(goodForSeconds));
  for (const [name, value] of Object.entries(headers)) url.searchParams.set(`response-${name}`, value);
  const signer = new AwsV4Signer({
    method: "GET",
    url: url.href,
    signQuery: true,
    accessKeyId: bucket.accessKey,
    secretAccessKey: bucket.secretKey,
    region: bucket.region,
    service: "s3",
  });
  return (await signer.sign()).url.href;
}
