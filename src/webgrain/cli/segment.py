"""``webgrain segment``: pages in, their segments out."""

from __future__ import annotations

from webgrain.cli.options import Browser, Inputs, Method, Output, Rendering, Strict, grouped


@grouped
def segment(
    *,
    inputs: Inputs,
    method: Method,
    rendering: Rendering,
    browser: Browser,
    output: Output,
    strict: Strict = False,
) -> None:
    """Cut pages into their segments.

    Writes a record per page to stdout: page, url, notes, method, params, energy, lower_bound, gap and
    segments, each with id, xpath, css, box, text, leaves, role, role_probability and confidence. A page that
    fails gives a record with stage, error and seconds, and the others go on. With -o DIR the records are in
    DIR/segments.jsonl and DIR/failures.jsonl, the pictures in DIR/overlays/ and DIR/gallery.html.

    Example: webgrain segment site/ -o blocks --html
    """
    from webgrain import pipeline
    from webgrain.cli.output import open_output
    from webgrain.cli.run import run

    layout = browser.layout(rendering, screenshot=output.pictures)
    cutter = method.create()
    run(pipeline.segment(inputs.read(), cutter, layout), open_output(output), strict)
