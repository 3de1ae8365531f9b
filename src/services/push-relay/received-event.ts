import type { CampusEvent } from "./campus-contract.ts";
import type { CipherKeys } from "./cipher.ts";

/** A "range" event has no person or organisation, for example an event about an application's visibility. */
export type SubjectKind = "person" | "organisation" | "range";

export interface ReceivedEvent {
  readonly schoolCode: string;
  readonly event: CampusEvent;
  readonly kind: SubjectKind;
  readonly identity: string;
  /**
   * SHA-256 of `event` and `raw_data` as received. An event with the same hash as its subject's last event is a repeat,
   * unless the last event is more than 24 hours old.
   */
  readonly hash: Buffer;
  /** The decrypted JSON text. It is forwarded as text, so that unknown fields and long numbers stay unchanged. */
  readonly data: string;
  readonly name: string | null;
  readonly updatedAt: Date | null;
  readonly removes: boolean;
}

export const subjectFields: Readonly<Record<string, { readonly kind: SubjectKind; readonly field: string }>> = {
  User: { kind: "person", field: "card_number" },
  Org: { kind: "organisation", field: "id" },
};

export interface SourceRequest {
  readonly keys: CipherKeys;
  /** The value as received; undefined for backfills, replays and previews. */
  readonly rawData?: string;
  readonly secret?: string;
}

export interface TrustedEvent {
  readonly event: ReceivedEvent;
  readonly application: { readonly id: number; readonly version: string };
  readonly request?: SourceRequest;
}
