import { openKept } from "#public/blocks/kept.ts";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { platform } from "#shared/api/platform.ts";
import { dayBack } from "#public/blocks/day.ts";
import { callWith, isTokenRefused } from "#shared/call/exchange.ts";
import { CallFailure } from "#shared/call/failure.ts";
import type { RecordOf } from "#shared/call/operation.ts";

export type Report = RecordOf<typeof diseaseCommand.listFeverClinics>;
export const figures = ["feverClinicCount", "epidemicCount"] as const;
export type Figure = (typeof figures)[number];

const kept = openKept<string>("clinic");

export const keptToken = (): string | null => kept.get() ?? null;

export function keepToken(token: string | null): void {
  if (token === null) kept.forget();
  else kept.set(token);
}

export const isSignedOut = (failure: Error | undefined): boolean =>
  failure instanceof CallFailure && isTokenRefused(diseaseCommand.logout, failure.code);

const withToken = (token: string) => ({ headers: { admin_token: token } });

export const signIn = async (userName: string, password: string): Promise<string> =>
  (await callWith(diseaseCommand.login, { body: { userName, password } })).token;

export const signOut = (token: string): Promise<unknown> =>
  callWith(diseaseCommand.logout, {}, withToken(token)).catch(() => undefined);

/** Returns the account's hospitals, and whether the account must still complete a sign-in step in the console. */
export async function findHospitals(token: string) {
  const { scope, secondFactor, mustChoosePassword } = await callWith(platform.readOwnSession, {}, withToken(token));
  const isWaiting = mustChoosePassword || secondFactor === "enrol" || secondFactor === "show";
  return { hospitals: scope?.["hospitalName"] ?? [], isWaiting };
}

const days = 28;

export const listReports = async (token: string, hospitalName: string): Promise<readonly Report[]> => {
  const query = { hospitalName, startDate: dayBack(days), curPage: 1, pageSize: 1000 };
  const { list } = await callWith(diseaseCommand.listFeverClinics, { query }, withToken(token));
  const own = list.filter((row) => row.hospitalName === hospitalName);
  return own.toSorted((one, other) => (one.statisticsDate < other.statisticsDate ? 1 : -1));
};

export type Entry = Pick<Report, "statisticsDate" | "hospitalName" | Figure>;

export const sendReports = (token: string, datas: Entry[]) =>
  callWith(diseaseCommand.saveFeverClinics, { body: { datas } }, withToken(token));
