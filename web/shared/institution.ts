import { useSyncExternalStore } from "react";
import { useLanguage } from "#shared/language/language.ts";
import { type Institution, place } from "#shared/place.ts";

let current: Institution = place.institution ?? { name: "", nameEn: "", color: "", logo: "" };
const listeners = new Set<() => void>();

export function showInstitution(next: Institution): void {
  current = next;
  listeners.forEach((listener) => listener());
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function useInstitution(): Institution {
  const [language] = useLanguage();
  const known = useSyncExternalStore(subscribe, () => current);
  return { ...known, name: (language === "en" && known.nameEn) || known.name };
}

export const pictureOf = (imageName: string): string =>
  `${place.base}/platform/institution/picture/${encodeURIComponent(imageName)}`;
