/** Text, or bytes when the name ends in `-bin`. */
export type MetadataValue = string | Uint8Array

/** Metadata of a call, by lower-case name; an entry may have several values. */
export type Metadata = Readonly<Record<string, MetadataValue | readonly MetadataValue[]>>
