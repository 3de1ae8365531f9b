import { useInstitution } from "#shared/institution.ts";

/** The document title, shown in the browser's tab and history. */
export function PageTitle({ children }: { readonly children: string }) {
  const { name } = useInstitution();
  return <title>{`${children} · ${name || "Quintet"}`}</title>;
}
