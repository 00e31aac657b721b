/** Allows tuples (`prefixItems`) in the schemas of OpenRPC documents, as in OpenAPI 3.1. Both are JSON Schema 2020-12. */
// oxlint-disable-next-line import/no-default-export -- Redocly loads the default export of a plugin
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
