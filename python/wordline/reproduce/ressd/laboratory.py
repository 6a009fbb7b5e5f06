"""The device study, from the cell laboratory: Tables 1 to 3, Figures 4 and 5."""

from wordline.reproduce.study import Figure

FIGURES = (
    Figure("table1", "Transitions of reprograms", laboratory=("ressd/table1/",)),
    Figure(
        "table2", "Page errors by how many layers are reprogrammed", laboratory=("ressd/table2/",)
    ),
    Figure("table3", "Page errors after 1K cycles and a year", laboratory=("ressd/table3/",)),
    Figure(
        "fig4_5",
        "One, two and three layers (Figures 4 and 5, without numbers), and more than three",
        laboratory=("ressd/conclusion/", "ressd/more_layers/"),
        plots=("ressd/Figure ",),
    ),
)
