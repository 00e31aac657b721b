import type { Area } from './areas.ts'
import type { Import } from './read-imports.ts'

/**
 * Finds imports that the areas do not allow.
 *
 * @param imports - all imports of the files in the areas
 * @param areas - the first area that matches a file owns it
 * @returns `area: file -> file` or `area: file -> package` of each, sorted
 */
export function backwardImports(imports: readonly Import[], areas: readonly Area[]): readonly string[] {
  const areaOf = (file: string) => {
    const area = areas.find(({ files }) => files.test(file))
    if (area === undefined) throw new Error(`No area matches ${file}.`)
    return area
  }
  const isAllowed = ({ from, to }: Import) => {
    const area = areaOf(from)
    if (to.endsWith('.ts')) return areaOf(to) === area || area.mayImport.includes(areaOf(to).name)
    return !to.startsWith('@fairlead/') || area.packages.test(to)
  }
  return imports
    .filter((entry) => !isAllowed(entry))
    .map(({ from, to }) => `${areaOf(from).name}: ${from} -> ${to}`)
    .toSorted()
}
