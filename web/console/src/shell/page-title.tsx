import { useInstitution } from "#shared/institution.ts";

/** What the browser's tab and history call a page. */
export function PageTitle({ children }: { readonly children: string }) {
  const { name } = useInstitution();
  return <title>{`${children} · ${name || "Quintet"}`}</title>;
}
