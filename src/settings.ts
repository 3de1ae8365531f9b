import { type BackupSettings, backupSettings } from "#platform/backup/nightly.ts";
import { checkFileSettings } from "#platform/files/bucket/settings.ts";
import { checkMessagingSettings } from "#platform/messaging/index.ts";
import { checkNoticeSettings } from "#platform/messaging/notice-settings.ts";
import { checkOutboundSettings } from "#platform/outbound/settings.ts";
import { composeSettings } from "#platform/process/compose-settings.ts";
import {
  checkDatabaseSettings,
  platformSettings,
  type Settings as PlatformSettings,
} from "#platform/process/config.ts";
import type { ServiceModule } from "#platform/process/service.ts";
import { checkSealingSettings } from "#platform/sealing/settings.ts";
import { checkSignOnSettings } from "#platform/sign-on/settings.ts";
import { modules, serviceNames } from "./app.ts";

/**
 * TypeScript infers intersections from function parameters, so `OwnSettings` is the intersection of all services'
 * settings instead of their union.
 */
type Taker<Module> = Module extends ServiceModule<infer Own> ? (own: Own) => void : never;
type OwnSettings = Taker<(typeof modules)[number]> extends (own: infer All) => void ? All : never;

export type Settings = PlatformSettings & BackupSettings & OwnSettings;

const listed: readonly ServiceModule[] = modules;

export const { read: readSettings, describe: describeSettings } = composeSettings<Settings>([
  { shape: platformSettings(serviceNames), check: checkMessagingSettings },
  ...[
    checkFileSettings,
    checkSealingSettings,
    checkDatabaseSettings,
    checkOutboundSettings,
    checkNoticeSettings,
    checkSignOnSettings,
  ].map((check) => ({ shape: {}, check })),
  { shape: backupSettings },
  ...listed.flatMap(({ contract, settings }) => (settings ? [{ ...settings, service: contract.name }] : [])),
]);
