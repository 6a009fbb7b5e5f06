"""MQSim's keys: the defaults of its source, and why some have no equal."""

DEFAULTS = {
    "PCIe_Lane_Bandwidth": "1.0",
    "PCIe_Lane_Count": "4",
    "Seed": "123",
    "Enabled_Preconditioning": "true",
    "Caching_Mechanism": "ADVANCED",
    "Initial_Occupancy_Percentage": "0",
    "Address_Mapping": "PAGE_LEVEL",
    "Ideal_Mapping_Table": "false",
    "CMT_Capacity": "2097152",
    "Plane_Allocation_Scheme": "CWDP",
    "Transaction_Scheduling_Policy": "OUT_OF_ORDER",
    "Overprovisioning_Ratio": "0.07",
    "GC_Exec_Threshold": "0.05",
    "GC_Block_Selection_Policy": "RGA",
    "Use_Copyback_for_GC": "false",
    "Preemptible_GC_Enabled": "true",
    "Dynamic_Wearleveling_Enabled": "true",
    "Static_Wearleveling_Enabled": "true",
    "Static_Wearleveling_Threshold": "100",
    "Preferred_suspend_erase_time_for_read": "700000",
    "Flash_Channel_Count": "8",
    "Flash_Channel_Width": "1",
    "Channel_Transfer_Rate": "300",
    "Chip_No_Per_Channel": "4",
    "Flash_Technology": "MLC",
    "CMD_Suspension_Support": "ERASE",
    **{f"Page_Read_Latency_{kind}": "75000" for kind in ("LSB", "CSB", "MSB")},
    **{f"Page_Program_Latency_{kind}": "750000" for kind in ("LSB", "CSB", "MSB")},
    "Block_Erase_Latency": "3800000",
    "Block_PE_Cycles_Limit": "10000",
    "Suspend_Erase_Time": "700000",
    "Suspend_Program_Time": "100000",
    "Die_No_Per_Chip": "2",
    "Plane_No_Per_Die": "2",
    "Block_No_Per_Plane": "2048",
    "Page_No_Per_Block": "256",
    "Page_Capacity": "8192",
    # Of flows; those that its source leaves undefined are what they most often are.
    "Device_Level_Data_Caching_Mode": "WRITE_CACHE",
    "Working_Set_Percentage": "100",
    "Synthetic_Generator_Type": "QUEUE_DEPTH",
    "Read_Percentage": "0",
    "Address_Distribution": "RANDOM_UNIFORM",
    "Percentage_of_Hot_Region": "0",
    "Generated_Aligned_Addresses": "true",
    "Address_Alignment_Unit": "8",
    "Request_Size_Distribution": "FIXED",
    "Average_Request_Size": "8",
    "Average_No_of_Reqs_in_Queue": "2",
    "Bandwidth": "0",
    "Stop_Time": "0",
    "Total_Requests_To_Generate": "0",
    "File_Path": "",
    "Relay_Count": "1",
    "Time_Unit": "NANOSECOND",
}

_QUEUES = (
    "no NVMe queues here; host.queue_depth or the times of the requests say how many go at once"
)
_DRAM = (
    "writes go through DRAM one at a time there, 20 µs for 4 KiB at MQSim's example; it matters "
    "only where they are faster than that"
)
_PROTOCOL = "drive.chip.command_us is the time of command and address cycles"

NO_EQUAL = {
    "SATA_Processing_Delay": "host.overhead_us adds to each request",
    "Enable_ResponseTime_Logging": "run.records and run.series_points do that",
    "ResponseTime_Logging_Period_Length": "run.records and run.series_points do that",
    "Memory_Type": "flash",
    "Address_Mapping": "the map has an entry for each mapping unit (ftl.mapping_unit_kib)",
    "HostInterface_Type": "a bus rate (host.bus_mb_s) and a time per request stand for it",
    "IO_Queue_Depth": _QUEUES,
    "Queue_Fetch_Size": _QUEUES,
    "Data_Cache_Capacity": "what is written again within a second stays there and is not written "
    "back; here it is programmed",
    "Data_Cache_Sharing_Mode": "all flows share the buffer",
    "Data_Cache_DRAM_Row_Size": _DRAM,
    "Data_Cache_DRAM_Data_Rate": _DRAM,
    "Data_Cache_DRAM_Data_Busrt_Size": _DRAM,
    "Data_Cache_DRAM_tRCD": _DRAM,
    "Data_Cache_DRAM_tCL": _DRAM,
    "Data_Cache_DRAM_tRP": _DRAM,
    "CMT_Capacity": "the whole map is in DRAM (Ideal_Mapping_Table)",
    "CMT_Sharing_Mode": "all flows share the map cache",
    "GC_Hard_Threshold": "what GC itself needs is held back always",
    "Static_Wearleveling_Threshold": "static wear levelling is off",
    "Preferred_suspend_erase_time_for_read": "nothing is suspended",
    "Preferred_suspend_erase_time_for_write": "writes suspend no erase",
    "Preferred_suspend_write_time_for_read": "drive.scheduling.suspend_min_us is one for both",
    "Suspend_Erase_Time": "no erase is suspended",
    "Suspend_Program_Time": "no program is suspended, or suspend_us is that of erases",
    "Flash_Comm_Protocol": _PROTOCOL,
    "Page_Metadat_Capacity": "metadata takes no time on the channel",
    **{
        f"Page_{kind}_Latency_{page}": "the cells have no such page"
        for kind in ("Read", "Program")
        for page in ("CSB", "MSB")
    },
}
