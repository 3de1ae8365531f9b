import { useEffect, useState } from "react";
import { stepNames } from "./fields.ts";

/** Which step is open, by its place. Each is a place in the browser's history, so that going back leads to the one before. */
export function useStep(): readonly [step: number, goTo: (step: number) => void] {
  const [step, setStep] = useState(readStep);
  useEffect(() => {
    const follow = () => setStep(readStep());
    window.addEventListener("popstate", follow);
    return () => window.removeEventListener("popstate", follow);
  }, []);
  const goTo = (next: number) => {
    if (next === step) return;
    if (next > step) history.pushState({ step: next }, "");
    else history.replaceState({ step: next }, "");
    setStep(next);
  };
  return [step, goTo];
}

function readStep(): number {
  const { step } = (history.state ?? {}) as { step?: unknown };
  return typeof step === "number" && step in stepNames ? step : 0;
}
