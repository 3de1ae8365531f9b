import { useQuery } from "@tanstack/react-query";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { CityMap, type CityMapProps } from "#shared/map/city-map.tsx";
import { type City, readCity } from "#shared/map/use-city.ts";
import "#console/pages/disease-command/map/disease-map.css";

interface DiseaseMapProps extends Omit<CityMapProps, "areas" | "settings"> {
  /** Beside other fields, as a part of something, beside a list, or as what its page is about. */
  readonly size: "field" | "part" | "list" | "page";
}

/** The city's map, with what stands on it. */
export function DiseaseMap({ size, ...props }: DiseaseMapProps) {
  const { data: city } = useCityOfConsole();
  return (
    <div className={`q-disease-map q-disease-map-${size}`}>
      <CityMap {...props} areas={city?.areas} settings={city?.settings} />
    </div>
  );
}

/** What maps are made of, read anew after each change of the service. */
export const useCityOfConsole = () =>
  useQuery<City>({ queryKey: [diseaseCommand.readCityMap.service, "city"], queryFn: readCity });
