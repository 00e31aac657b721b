/** Lets the schemas of OpenRPC documents have tuples as those of OpenAPI 3.1 do: both are JSON Schema 2020-12 here. */
// oxlint-disable-next-line import/no-default-export -- what Redocly looks for in a plugin
export default function tuples() {
  return {
    id: 'tuples',
    typeExtension: {
      openrpc1: ({ Schema, ...types }) => ({
        ...types,
        Schema: {
          ...Schema,
          properties: {
            ...Schema.properties,
            prefixItems: { name: 'PrefixItems', properties: {}, items: 'Schema' },
          },
        },
      }),
    },
  }
}
