/** Reads a metric of a running gateway: the sum over all labels, or 0 while it has no sample. */
export async function metricTotal(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))]
    .map((match) => Number(match[1]))
    .reduce((sum, value) => sum + value, 0)
}
