import type { Column } from "#console/blocks/list-page/columns.tsx";
import { RowAction } from "#console/blocks/buttons.tsx";
import { joinWords } from "#console/blocks/format.ts";
import { Status } from "#console/blocks/status.tsx";
import { useConfirm } from "#console/blocks/use-confirm.ts";
import { useChange, useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/session/second-factor/texts.ts";
import { serves, useSession } from "#console/session/session.ts";
import { platform } from "#shared/api/platform.ts";
import type { DataOf } from "#shared/call/operation.ts";

type Holder = DataOf<typeof platform.listFactorHolders>[number];

function useHolders(service: string): ReadonlyMap<number, Holder> | undefined {
  const session = useSession();
  const enabled =
    session?.isSuper === true && (service === "platform" ? session.service === service : serves(session, service));
  const { data } = useRead(platform.listFactorHolders, { query: { service } }, { enabled });
  return data && new Map(data.map((holder) => [holder.accountId, holder]));
}

interface Account {
  readonly id: number;
  readonly userName: string;
}

export function useFactorColumn<A extends Account>(service: string) {
  const t = useTexts();
  const holders = useHolders(service);
  const session = useSession();
  const confirm = useConfirm();
  const reset = useChange(platform.resetFactors, { done: t.resetDone });
  const column: Column<A> = {
    field: "secondFactor",
    title: t.column,
    width: 150,
    render: ({ id }) => {
      const holder = holders?.get(id);
      if (!holder) return holders && <Status tone="default">{t.off}</Status>;
      const kinds = [holder.totp && t.kinds.totp, holder.passkeys > 0 && t.passkeys(holder.passkeys)];
      return <Status tone="success">{joinWords(kinds.filter((kind) => kind !== false))}</Status>;
    },
  };
  const resetAction = ({ id, userName }: A) =>
    holders?.has(id) === true &&
    id !== session?.accountId && (
      <RowAction
        needs={platform.resetFactors}
        danger
        label={t.resetNamed(userName)}
        onClick={() =>
          confirm({
            title: t.resetTitle(userName),
            needs: platform.resetFactors,
            about: t.resetAbout,
            verb: t.reset,
            work: () => reset.mutateAsync({ body: { id } }),
          })
        }
      >
        {t.reset}
      </RowAction>
    );
  return { columns: holders ? [column] : [], resetAction };
}
