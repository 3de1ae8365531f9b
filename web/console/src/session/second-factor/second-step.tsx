import { useQuery } from "@tanstack/react-query";
import { Skeleton } from "antd";
import { Failure } from "#console/blocks/failure.tsx";
import { callWith } from "#console/call/call.ts";
import type { TokenOption } from "#console/session/second-factor/browser-passkeys.ts";
import { Enrol } from "#console/session/second-factor/enrol.tsx";
import { ShowFactor } from "#console/session/second-factor/show-factor.tsx";
import { platform } from "#shared/api/platform.ts";

export interface SecondStepProps {
  /** Of a session that is not open yet; left out, the one that is. */
  readonly token?: string;
  /** Why it is asked for, of who has one to show. */
  readonly about?: string;
  readonly onDone: () => void;
}

/** Has the person show a second factor, or set the first one up. */
export function SecondStep({ token, about, onDone }: SecondStepProps) {
  const option: TokenOption = token === undefined ? {} : { token };
  const { data, error, refetch } = useQuery({
    queryKey: ["second-step", token],
    queryFn: ({ signal }) => callWith(platform.readOwnFactors, {}, { ...option, signal }),
    gcTime: 0,
    // What is typed stays when the window is looked at again: a phone is what one looks at in between.
    refetchOnWindowFocus: false,
  });
  if (error) return <Failure failure={error} onRetry={refetch} />;
  if (!data) return <Skeleton active title={false} />;
  return data.factors.length === 0 ? (
    <Enrol option={option} onDone={onDone} />
  ) : (
    <>
      {about !== undefined && <p className="q-soft">{about}</p>}
      <ShowFactor factors={data.factors} option={option} onDone={onDone} />
    </>
  );
}
