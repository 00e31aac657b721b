/** Collects a finite stream. */
export async function allOf<item>(items: AsyncIterable<item>): Promise<item[]> {
  const all: item[] = []
  for await (const item of items) all.push(item)
  return all
}
