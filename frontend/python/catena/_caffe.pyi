from collections.abc import Callable

from catena._catena import Parameter, Variable

class Layer:
    """A layer of a Caffe network."""

    @property
    def name(self) -> str: ...
    @property
    def type(self) -> str:
        """Caffe's name, "Convolution"."""
    @property
    def bottom(self) -> list[str]:
        """The blobs that it reads."""
    @property
    def top(self) -> list[str]:
        """The blobs that it writes."""

class CaffeFunction:
    def __init__(self, path: str, prototxt: str | None, /) -> None: ...
    def run(
        self, inputs: dict[str, Variable], outputs: list[str], disable: list[str], /
    ) -> list[Variable]: ...
    def blobs(self, inputs: dict[str, Variable], disable: list[str], /) -> dict[str, Variable]: ...
    def forward(self, layer: str, bottom: list[Variable], /) -> list[Variable]: ...
    @property
    def layers(self) -> list[Layer]: ...
    @property
    def skipped(self) -> list[Layer]: ...
    @property
    def inputs(self) -> list[str]: ...
    def results(self, inputs: list[str], /) -> list[str]: ...
    @property
    def net_name(self) -> str: ...
    def namedparams(self) -> list[tuple[str, Parameter]]: ...

def export(
    call: Callable[[list[Variable]], list[Variable]],
    inputs: list[Variable],
    directory: str,
    export_params: bool,
    graph_name: str,
    file_name: str,
    input_names: list[str],
    output_names: list[str],
    /,
) -> None: ...
