import { useCallback, useEffect, useState } from "react";
import { bringsCode, currentSubmitter, signInByCode, type Submitter } from "./submitter.ts";

export interface SignedIn {
  readonly current: Submitter | undefined;
  readonly forget: () => void;
}

/** Who submits: of the code that came along, or of an earlier page of this tab. `welcome` is told whom the code stands for. */
export function useSubmitter(welcome: (submitter: Submitter) => void): SignedIn {
  const [current, setCurrent] = useState(currentSubmitter);
  const forget = useCallback(() => setCurrent(undefined), []);
  useEffect(() => {
    if (!bringsCode()) return;
    const signIn = async () => {
      const submitter = await signInByCode();
      setCurrent(submitter);
      if (submitter) welcome(submitter);
    };
    // A code that is worth nothing keeps nobody from registering: the report then has no submitter that is known.
    signIn().catch(forget);
  }, [welcome, forget]);
  return { current, forget };
}
