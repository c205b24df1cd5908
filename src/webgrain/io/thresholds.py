"""Limits of reading and writing. All are hand-set, not tuned, unless a source is named."""

LAYERS = 5
"""Compression layers of a body; more are an attempt to keep the reader busy."""

REDIRECTS = 5
"""Redirects in a row; more are a loop."""

MAX_ASSET = 32 * 2**20
"""Bytes of a file that a page may load; larger files are not loaded at all."""

MAX_LISTED = 2**16
"""Names of a folder that are listed, and those of all folders that are kept, and the folders; about 10 MB."""

MAX_SHEET = 2 * 2**20
"""Bytes of a style sheet whose references are read; larger ones are left out."""

STORED_SHEETS = 2**16
"""Style sheets, and redirects, of a web archive whose places are kept."""

SHEET_CHARACTERS = 2**24
"""Characters of the addresses of these style sheets and redirects together."""

BOMB_RATIO = 100
"""A zip member that exceeds the page limit and this compression ratio is a bomb; HTML reaches 30.

Nor are pages read of an archive after they have this many times its size in total."""

REPAIRS = 1000
"""Damaged places of a web archive after which reading stops."""

MAX_URL = 8192
"""Characters of a line in a list of URLs."""

GROUP_BYTES = 16 * 2**20
"""Bytes of a row group of a page store, unless one page is larger."""

GROUP_PAGES = 256
"""Most pages of a row group."""

MAX_GROUP = 2**31
"""Bytes of a row group, uncompressed; a group that claims to be larger is not read."""

MAX_JSON = 2**28
"""Characters of a JSON document, which is read as a whole."""

MAX_RECORD = 16 * 2**20
"""Bytes of a line of a file of JSON records."""

MAX_COLUMNS = 1000
"""Columns of a search log that are looked at."""
MAX_FIELD = 2**17
"""Characters of a CSV field or of a line of a server log."""

MAX_LOG_ROWS = 20_000_000
"""Rows of a search log that are read, a minute or two of work."""

MAX_LOG_BYTES = 2**30
"""Bytes of the tables in the zip file of a search log, uncompressed, that are read."""

MAX_QUERY = 500
"""Characters of a query that are kept."""

MAX_LOG_ADDRESSES = 50_000
"""Addresses that are kept of a search log."""

MAX_QUERIES = 50
"""Queries that are kept for one address, the most clicked ones."""

SHOWN_QUERIES = 5
"""Queries that are reported of a page and of a type, the most clicked ones."""
