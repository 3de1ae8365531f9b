import { pushRelay } from "#shared/api/push-relay.ts";
import { formatCount } from "#console/blocks/format.ts";
import { Status, type Tone } from "#console/blocks/status.tsx";
import { useConfirm } from "#console/blocks/use-confirm.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { useChange, useRead } from "#console/call/use-call.ts";
import { type RelayTexts, useTexts } from "#console/pages/push-relay/texts.ts";

export type Delivery = RecordOf<typeof pushRelay.listDeliveries>;

type Shown = keyof RelayTexts["deliveryStatuses"];

const tones: Readonly<Record<Shown, Tone>> = {
  pending: "processing",
  retrying: "warning",
  delivered: "success",
  dead: "error",
};

export function DeliveryStatus({
  status,
  attempts,
}: {
  readonly status: Delivery["status"];
  readonly attempts: number;
}) {
  const t = useTexts();
  const shown: Shown = status === "pending" && attempts > 0 ? "retrying" : status;
  return <Status tone={tones[shown]}>{t.deliveryStatuses[shown]}</Status>;
}

export const nameEvent = (event: string, { events }: RelayTexts): string =>
  event in events ? events[event as keyof typeof events] : event;

export function useProjectNames(): (id: number) => string {
  const t = useTexts();
  const { data } = useRead(pushRelay.listProjects, {});
  return (id) => (data ? (data.find((one) => one.id === id)?.project ?? t.formerProject(id)) : "");
}

export function useReplay(): (ids: readonly number[], onDone?: () => void) => void {
  const t = useTexts();
  const confirm = useConfirm();
  const replay = useChange(pushRelay.replayDeliveries, {
    done: (count) => t.replayed(formatCount(Number(count))),
  });
  return (ids, onDone) =>
    confirm({
      title: t.replayTitle(ids.length),
      needs: pushRelay.replayDeliveries,
      about: t.replayAbout,
      verb: t.replay,
      danger: false,
      work: async () => {
        await replay.mutateAsync({ body: { ids: [...ids] } });
        onDone?.();
      },
    });
}
